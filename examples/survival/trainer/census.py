"""The Census data set: rows of text, and their words hashed for linear models."""
import zlib

from trainer import files

SIZE = 1 << 12
# Width of the buckets that numbers are put into; the other columns are categories.
WIDTHS = {0: 5, 4: 1, 10: 2000, 11: 500, 12: 5}
# fnlwgt says how many people a row stands for; it is no property of them.
LEFT_OUT = 2


def load(data_dir, name):
    """Rows of 14 texts, and labels that are 0 or 1."""
    data = files.read(files.join(data_dir, name))
    if data is None:
        raise SystemExit(f'there is no {name} in {data_dir}')
    rows, labels = [], []
    for line in data.decode().splitlines():
        fields = [field.strip() for field in line.split(',')]
        if len(fields) == 15:
            rows.append(fields[:14])
            labels.append(1 if fields[14].startswith('>50K') else 0)
    return rows, labels


def hashed(row):
    """Indices below SIZE: one for each column."""
    words = (f'{i}={int(value) // WIDTHS[i] if i in WIDTHS else value}' for i, value in enumerate(row) if i != LEFT_OUT)
    return [zlib.crc32(word.encode()) % SIZE for word in words]
