from torch import nn


class OurModel(nn.Module):
    def __init__(self, input_size, hidden_size, output_size, num_layers=1):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, num_layers)
        self.output_layer = nn.Linear(hidden_size, output_size)

    def forward(self, input_, hidden):
        read, hidden = self.gru(self.embedding(input_).view(1, 1, -1), hidden)
        output = self.output_layer(read.view(1, -1))
        return output, hidden
