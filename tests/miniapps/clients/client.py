"""As client.c: python3 client.py CLIENTS_FOLDER DUMP"""
import sys

try:
    import numpy as np
    import scipy.sparse as sparse
except ImportError:
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
import weir_capture  # noqa: E402

rows, block = 20, 2
writer = weir_capture.Writer(sys.argv[2], name="flow")
for step in range(1, 4):
    indptr, indices, data = [0], [], []
    for i in range(rows):
        for j in range(max(0, i - 1), min(rows, i + 2)):
            indices.append(j)
            data.append(np.full((block, block), -0.25 * step) if j != i else np.full((block, block), 0.5) + np.eye(block) * (7.5 + 0.125 * i))
        indptr.append(len(indices))
    A = sparse.bsr_matrix((np.array(data), indices, indptr), shape=(rows * block, rows * block))
    k = np.arange(rows * block)
    writer.add(A, 1 + 0.5 * k, None if step == 1 else 0.25 * k * step, step=step, time=0.5 * step)
