"""Tell whether isolation held."""

from nvx_tools import adversarial_broker, common


def judge() -> bool:
    common.configure(None)
    return bool(adversarial_broker.cases())
