"""The method of this package that the program has called, for messages.

A method uses others: reduce uses gather, and that uses Gather. A message names the one that the program has called. The
stack has it when the message is made: the outermost public function, up to the first frame that is not of this package.
So a call that succeeds pays nothing, and calls through the extension are like others.
"""

import sys
import threading

_PACKAGE = __name__.partition(".")[0]
# Names of public functions, by their code.
_names = {}
_of_thread = threading.local()


def public(function, name=None):
    """Makes messages name a function. A decorator, for functions, and for classes with all their public methods."""
    if isinstance(function, type):
        for method, value in vars(function).items():
            inner = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if not method.startswith("_") and hasattr(inner, "__code__"):
                public(inner, method if name is None else f"{name}.{method}")
    else:
        _names[getattr(function, "__wrapped__", function).__code__] = name or function.__name__
    return function


def method_called():
    """Returns the name of the function that the program has called. None: it has called none that has a name here."""
    name, frame = None, sys._getframe(1)
    while frame is not None:
        if frame.f_code in _names:
            name = _names[frame.f_code]
        elif frame.f_globals.get("__name__", "").partition(".")[0] != _PACKAGE:
            break
        frame = frame.f_back
    return name or getattr(_of_thread, "method", None)


def continue_method(name):
    """Makes messages of this thread, which works for another one, name the method that was called there."""
    _of_thread.method = name


def named(message, method=None):
    """Returns a message behind the name of a method: by default that of the method that the program has called."""
    method = method or method_called()
    return f"{method}: {message}" if method else message
