# What a worker of a Spark cluster needs, and a driver too: Java 17, Python 3.11, Spark, tla2py and its dependencies.
#   docker build -t tla2py .
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/*

COPY . /tmp/tla2py
RUN pip install --no-cache-dir -c /tmp/tla2py/constraints.txt '/tmp/tla2py[spark]' && rm -rf /tmp/tla2py

# A new volume for stores takes over the owner of this folder.
RUN useradd --create-home --uid 185 spark && mkdir /runs && chown spark /runs
USER spark
WORKDIR /home/spark

# Workers keep the files of their executors where this user may write.
ENV SPARK_HOME=/usr/local/lib/python3.11/site-packages/pyspark \
    SPARK_WORKER_DIR=/tmp/spark-work \
    PYSPARK_PYTHON=/usr/local/bin/python3.11
ENV PATH=$SPARK_HOME/bin:$PATH
