"""A session on the control channel of a microVM."""


def open_session() -> object:
    return object()
