"""Puts a runtime's shims before old code: FIREWEED_SHIMS names modules of fireweed_shims, in their order."""
import importlib
import os

for _name in os.environ.get('FIREWEED_SHIMS', '').split(','):
    if _name:
        importlib.import_module('fireweed_shims.' + _name).install()
