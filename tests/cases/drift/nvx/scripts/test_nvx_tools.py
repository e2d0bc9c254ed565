import unittest

from nvx_tools import adversarial, development_release, microvm_tests, performance, release, sandbox


class ModulesTest(unittest.TestCase):
    def test_they_import(self) -> None:
        self.assertTrue(all([adversarial, development_release, microvm_tests, performance, release, sandbox]))
