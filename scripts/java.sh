#!/bin/sh
# Check for Java 17 or newer; install Debian's if permitted, otherwise print what to install.
set -eu

newest() {
    for java in "${TLA2PY_JAVA_HOME:+$TLA2PY_JAVA_HOME/bin/java}" "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)"; do
        [ -n "$java" ] && [ -x "$java" ] || continue
        "$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1
        return
    done
    echo 0
}

version=$(newest)
[ "${version:-0}" -ge 17 ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Java 17 or newer was not found; installing openjdk-17-jre-headless" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless >/dev/null
    exit 0
fi
cat >&2 <<'TEXT'
error: Java 17 or newer was not found. Install it, then run make again:
  Debian, Ubuntu   apt-get install openjdk-17-jre-headless
  Fedora           dnf install java-17-openjdk-headless
  macOS            brew install openjdk@17, then export JAVA_HOME="$(brew --prefix openjdk@17)"
TEXT
exit 2
