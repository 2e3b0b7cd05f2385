"""The Fisher information metric of labelled data, and distances in it.

Each file holds one idea: a *field* gives class posteriors at points and along segments
(``parzen``, ``classifier``), a *rule* turns them into lengths (``arc_length``,
``left_endpoint``), ``pairs`` goes over all pairs in blocks, and ``geometry`` says what the input
is. The estimator on top of them is :class:`discrimap.FisherMetric`.
"""
