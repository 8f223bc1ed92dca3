#!/bin/bash
# The code is in the image.
exec /opt/survival/run.sh
