"""A constructor argument and a method that share a name."""


class ParameterWithMethod:
    """A constructor argument whose name, read from an instance, is a method.

    ``FisherMetric(posterior=classifier)`` chooses the posterior and ``metric.posterior(X)`` gives
    it; ``get_params`` returns the argument.
    """

    def __init__(self, method):
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        return self._method if instance is None else self._method.__get__(instance, owner)

    def __set__(self, instance, value):
        instance.__dict__[self._name] = value
