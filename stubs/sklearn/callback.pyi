from typing import Any, Self

class CallbackSupportMixin:
    def set_callbacks(self, *callbacks: Any) -> Self: ...
