"""A small convolutional network of PyTorch on CIFAR-10."""
import io

import numpy
import torch
from torch import nn

from trainer import cifar10


def add_flags(parser):
    parser.add_argument('--batch-size', type=int, default=64)
    parser.add_argument('--learning-rate', type=float, default=1e-3)


class Model:
    def __init__(self, args):
        self.args = args
        self.device = 'cuda' if torch.cuda.is_available() else 'cpu'
        self.pictures, self.labels = tensors(cifar10.load(args.data_dir, cifar10.TRAINING))
        torch.manual_seed(args.seed)
        self.network = nn.Sequential(
            nn.Conv2d(3, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(32 * 5 * 5, 64), nn.ReLU(), nn.Linear(64, 10)).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate)

    def train_step(self, step):
        # Whatever draws from torch's own generator in this step draws the same after a restart.
        torch.manual_seed(self.args.seed * 1_000_003 + step)
        chosen = torch.randint(len(self.labels), (self.args.batch_size,))
        self.optimizer.zero_grad()
        said = self.network(self.pictures[chosen].to(self.device))
        nn.functional.cross_entropy(said, self.labels[chosen].to(self.device)).backward()
        self.optimizer.step()

    def save(self):
        stream = io.BytesIO()
        torch.save({'network': self.network.state_dict(), 'optimizer': self.optimizer.state_dict()}, stream)
        return stream.getvalue()

    def load(self, data):
        state = torch.load(io.BytesIO(data), map_location=self.device)
        self.network.load_state_dict(state['network'])
        self.optimizer.load_state_dict(state['optimizer'])

    def export(self):
        stream = io.BytesIO()
        torch.save(self.network.state_dict(), stream)
        return {'model.pt': stream.getvalue()}

    def evaluate(self):
        pictures, labels = tensors(cifar10.load(self.args.data_dir, cifar10.TEST))
        with torch.no_grad():
            said = torch.cat([self.network(part.to(self.device)).argmax(1).cpu() for part in pictures.split(1000)])
        return float((said == labels).float().mean())


def tensors(data):
    records = numpy.frombuffer(data, numpy.uint8).reshape(-1, cifar10.RECORD)
    pictures = torch.from_numpy(records[:, 1:].reshape(-1, 3, 32, 32).astype(numpy.float32) / 255 - 0.5)
    return pictures, torch.from_numpy(records[:, 0].astype(numpy.int64))
