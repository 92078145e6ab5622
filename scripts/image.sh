#!/bin/sh
# Build the image for workers, and sweep on a master and two workers in containers that share nothing but the store.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if ! docker info >/dev/null 2>&1; then
    echo "error: the image is built with Docker, which is not installed or not running" >&2
    echo "hint: install it and start its daemon, then run sh scripts/image.sh again; CI has a job for it" >&2
    exit 2
fi

docker build -t tla2py "$root"
name=tla2py-try-$$
ended() {
    docker ps --all --quiet --filter "network=$name" | xargs -r docker rm --force --volumes >/dev/null
    docker network rm "$name" >/dev/null
    docker volume rm "$name" >/dev/null
}
docker network create "$name" >/dev/null
docker volume create "$name" >/dev/null
trap ended EXIT

# run OPTION... IMAGE COMMAND...: a container on the network of the cluster.
run() { docker run --network "$name" "$@"; }

master=$(run --detach --network-alias master tla2py \
    spark-class org.apache.spark.deploy.master.Master --host master --port 7077)
for _ in 1 2; do
    run --detach --volume "$name:/runs" tla2py \
        spark-class org.apache.spark.deploy.worker.Worker --cores 1 --memory 1g spark://master:7077 >/dev/null
done
waited=0
until [ "$(docker logs "$master" 2>&1 | grep -c 'Registering worker')" = 2 ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 120 ] || { docker logs "$master" >&2; echo "error: the workers did not register" >&2; exit 1; }
    sleep 1
done

run --rm --volume "$name:/runs" --volume "$root/tests/specs:/specs:ro" tla2py \
    tla2py sweep /specs/counter.toml --master spark://master:7077 -o /runs/counter
run --rm --volume "$name:/runs" tla2py \
    tla2py query /runs/counter "SELECT executor, count(*) AS points FROM runs GROUP BY executor" --json | tee /dev/stderr |
    tr -d ' \n' | grep -q '^\[{"executor":"spark","points":6}\]$'
echo "the image works: two workers executed 6 points"
