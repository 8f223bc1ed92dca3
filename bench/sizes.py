"""How much work each benchmark does. `USUAL` gives figures to report in minutes, `FULL` uses the sizes of the bars,
`SMALLEST` runs every line once, so that ./test notices a benchmark that no longer works."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    load_seconds: int = 3            # one run of wrk
    micro_seconds: float = 0.2       # one microbenchmark
    names: int = 1000                # objects that small reads choose from
    large_mib: int = 256             # object of the large GET
    upload_mib: int = 1024           # object of the large PUT
    stream_mib: int = 2048           # object that shows the daemon's memory
    tree_objects: int = 100_000      # listing with a delimiter
    many_objects: int = 200_000      # listing with a prefix
    slow_clients: int = 1000
    boots: int = 9
    replacements: int = 3
    image_rounds: int = 5
    delta_files: int = 256           # files of 4 MiB on the disk that becomes an image
    crowd: int = 200                 # instances at once
    jobs: int = 1000                 # trivial jobs at once
    lines_per_second: int = 200_000  # of the chatty trainer
    chatty_seconds: int = 5
    rivals: bool = True              # without: only ours and what ./test has installed


USUAL = Sizes()
FULL = dataclasses.replace(USUAL, stream_mib=10 << 10, many_objects=1_000_000)
SMALLEST = Sizes(load_seconds=1, micro_seconds=0.001, names=10, large_mib=1, upload_mib=1, stream_mib=1, tree_objects=1,
                 many_objects=1, slow_clients=10, boots=1, replacements=1, image_rounds=1, delta_files=1, crowd=2, jobs=2,
                 lines_per_second=30_000, chatty_seconds=1, rivals=False)
