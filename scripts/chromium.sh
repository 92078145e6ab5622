#!/bin/sh
# Check for a Chromium, in which the tests open the pages; install Debian's if permitted.
set -eu

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Chromium was not found; installing chromium" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
    exit 0
fi
cat >&2 <<'TEXT'
error: Chromium was not found; the tests open the report in it. Install it, then run make again:
  Debian, Ubuntu   apt-get install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium, then put its folder on the PATH
TEXT
exit 2
