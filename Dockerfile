# Wherefrom on a CPU. The default trains the demo, two minutes on two cores, and writes its report:
#
#   docker build -t wherefrom .
#   docker run --rm -v "$PWD/runs:/work/runs" wherefrom
#   docker run --rm -v "$PWD/runs:/work/runs" wherefrom ask people-0 "Where was Amos Karlsson born?"
FROM python:3.12-slim-bookworm

# torch first and by itself: the CPU build, 200 MB instead of several GB. As in scripts/setup.sh.
RUN pip install --no-cache-dir --no-deps torch==2.13.0+cpu --index-url https://download.pytorch.org/whl/cpu
COPY requirements/run.txt /source/requirements/run.txt
RUN pip install --no-cache-dir --no-deps --require-hashes -r /source/requirements/run.txt
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir --no-deps /source && pip check && rm -rf /source

# Runs are written to /work/runs; a user of your own (--user) may write there, too.
RUN useradd --create-home wherefrom && install -d -m 777 /work /work/runs
USER wherefrom
WORKDIR /work
ENTRYPOINT ["wherefrom"]
CMD ["run", "people"]
