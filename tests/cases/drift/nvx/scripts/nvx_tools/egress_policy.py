"""What a microVM may reach."""

ALLOWED = ("dns",)
