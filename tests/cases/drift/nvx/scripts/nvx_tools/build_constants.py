"""Names and numbers that more than one module needs."""

DESCRIPTION = "Build, test and measure NVX."
IMAGES = ("alpine", "ubuntu", "azurelinux")
