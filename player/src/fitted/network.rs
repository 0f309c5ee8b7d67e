//! A small network: one hidden layer, a logistic output.

/// Units of the hidden layer.
pub const HIDDEN: usize = 64;

/// Weights of a network.
#[derive(Debug, Clone)]
pub struct Network {
    /// By feature, then by hidden unit.
    first: Vec<[f32; HIDDEN]>,
    first_bias: [f32; HIDDEN],
    second: [f32; HIDDEN],
    second_bias: f32,
}

impl Network {
    /// Bytes of a network of so many features in a file: little-endian 32-bit floats, the weights
    /// by feature and then by hidden unit, the biases of the hidden units, the weights of the
    /// output, its bias.
    pub const fn bytes(features: usize) -> usize {
        4 * (features * HIDDEN + HIDDEN + HIDDEN + 1)
    }

    /// A network from its file; `None` when there are not [`bytes`](Self::bytes) of finite
    /// numbers.
    pub fn from_bytes(features: usize, bytes: &[u8]) -> Option<Self> {
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        if bytes.len() != Self::bytes(features) || !numbers.iter().all(|number| number.is_finite())
        {
            return None;
        }
        let (first, rest) = numbers.split_at(features * HIDDEN);
        let first = first.chunks_exact(HIDDEN).map(|row| row.try_into().expect("a whole row"));
        Some(Self {
            first: first.collect(),
            first_bias: rest[..HIDDEN].try_into().ok()?,
            second: rest[HIDDEN..2 * HIDDEN].try_into().ok()?,
            second_bias: rest[2 * HIDDEN],
        })
    }

    /// The natural logarithm of the chance to win.
    pub fn value(&self, features: &[f32]) -> f32 {
        let mut hidden = self.first_bias;
        for (row, &feature) in self.first.iter().zip(features) {
            for (unit, weight) in hidden.iter_mut().zip(row) {
                *unit += weight * feature;
            }
        }
        let mut output = self.second_bias;
        for (unit, weight) in hidden.iter().zip(&self.second) {
            output += unit.max(0.0) * weight;
        }
        // ln(1 / (1 + exp(-x))), without overflow on either side.
        output.min(0.0) - (-output.abs()).exp().ln_1p()
    }
}
