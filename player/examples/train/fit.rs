//! Fitting the network of the evaluator: Adam on minibatches (Kingma and Ba, 2015).

use retrotab_player::fitted::{HIDDEN, Network};

/// Positions of a step.
pub const BATCH: usize = 512;
const MOMENTUM: f32 = 0.9;
const SPREAD: f32 = 0.999;

/// What one row teaches: features and the chance that the network is to give them.
pub type Row = (Box<[f32]>, f32);

/// A network while it is fitted.
pub struct Fit {
    features: usize,
    /// Weights in the order of the file that players read.
    weights: Vec<f32>,
    /// Means of the gradients and of their squares.
    moments: Vec<[f32; 2]>,
    steps: i32,
    /// What is taken from each feature, and by what it is then multiplied.
    scaling: Vec<[f32; 2]>,
    random: fastrand::Rng,
}

impl Fit {
    /// A network with random weights. The rows say how large features are.
    pub fn new(features: usize, rows: &[Row]) -> Self {
        let mut random = fastrand::Rng::with_seed(1);
        // Uniform with the deviations of He et al. (2015).
        let mut uniform = |scale: f32| (random.f32() * 2.0 - 1.0) * scale * 3f32.sqrt();
        let (first, second) = ((2.0 / features as f32).sqrt(), (1.0 / HIDDEN as f32).sqrt());
        let mut weights: Vec<f32> = (0..features * HIDDEN).map(|_| uniform(first)).collect();
        weights.resize(weights.len() + HIDDEN, 0.0);
        weights.extend((0..HIDDEN).map(|_| uniform(second)));
        weights.push(0.0);
        let scaling = (0..features).map(|feature| {
            let column = || rows.iter().map(|(x, _)| f64::from(x[feature]));
            let mean = column().sum::<f64>() / rows.len() as f64;
            let square = column().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            let deviation = (square / rows.len() as f64).sqrt().max(1e-2);
            [mean as f32, (1.0 / deviation) as f32]
        });
        let (scaling, moments) = (scaling.collect(), vec![[0.0; 2]; weights.len()]);
        Self { features, weights, moments, steps: 0, scaling, random }
    }

    /// A network from its file.
    pub fn from_bytes(features: usize, bytes: &[u8]) -> Option<Self> {
        Network::from_bytes(features, bytes)?;
        let number = |b: &[u8]| Some(f32::from_le_bytes(b.try_into().ok()?));
        let weights: Vec<f32> = bytes.chunks_exact(4).filter_map(number).collect();
        let (scaling, moments) = (vec![[0.0, 1.0]; features], vec![[0.0; 2]; weights.len()]);
        let random = fastrand::Rng::with_seed(2);
        Some(Self { features, weights, moments, steps: 0, scaling, random })
    }

    /// Makes steps on random rows; gives the mean cross entropy before each.
    pub fn steps(&mut self, rows: &[Row], count: usize, rate: f32) -> f32 {
        let mut loss = 0.0;
        let mut gradient = vec![0.0; self.weights.len()];
        for _ in 0..count {
            gradient.fill(0.0);
            for _ in 0..BATCH {
                let (features, target) = &rows[self.random.usize(..rows.len())];
                loss += self.add_gradient(features, *target, &mut gradient);
            }
            self.descend(&gradient, rate);
        }
        loss / (count * BATCH) as f32
    }

    fn add_gradient(&self, features: &[f32], target: f32, gradient: &mut [f32]) -> f32 {
        let (first, rest) = self.weights.split_at(self.features * HIDDEN);
        let scaled: Vec<f32> = features
            .iter()
            .zip(&self.scaling)
            .map(|(&feature, [mean, scale])| (feature - mean) * scale)
            .collect();
        let mut hidden = [0.0; HIDDEN];
        hidden.copy_from_slice(&rest[..HIDDEN]);
        for (row, feature) in first.chunks_exact(HIDDEN).zip(&scaled) {
            for (unit, weight) in hidden.iter_mut().zip(row) {
                *unit += weight * feature;
            }
        }
        let second = &rest[HIDDEN..2 * HIDDEN];
        let sum: f32 = hidden.iter().zip(second).map(|(unit, weight)| unit.max(0.0) * weight).sum();
        let output = sum + rest[2 * HIDDEN];
        let error = 1.0 / (1.0 + (-output).exp()) - target;
        let (of_first, of_rest) = gradient.split_at_mut(self.features * HIDDEN);
        let mut back = [0.0; HIDDEN];
        for unit in 0..HIDDEN {
            of_rest[HIDDEN + unit] += error * hidden[unit].max(0.0);
            back[unit] = if hidden[unit] > 0.0 { error * second[unit] } else { 0.0 };
            of_rest[unit] += back[unit];
        }
        of_rest[2 * HIDDEN] += error;
        for (row, feature) in of_first.chunks_exact_mut(HIDDEN).zip(&scaled) {
            for (sum, back) in row.iter_mut().zip(&back) {
                *sum += back * feature;
            }
        }
        output.max(0.0) + (-output.abs()).exp().ln_1p() - target * output
    }

    fn descend(&mut self, gradient: &[f32], rate: f32) {
        self.steps += 1;
        let correction = [1.0 - MOMENTUM.powi(self.steps), 1.0 - SPREAD.powi(self.steps)];
        for ((weight, [mean, square]), sum) in
            self.weights.iter_mut().zip(&mut self.moments).zip(gradient)
        {
            let slope = sum / BATCH as f32;
            *mean = MOMENTUM * *mean + (1.0 - MOMENTUM) * slope;
            *square = SPREAD * *square + (1.0 - SPREAD) * slope * slope;
            *weight -= rate * (*mean / correction[0]) / ((*square / correction[1]).sqrt() + 1e-8);
        }
    }

    /// The network as players read it: the scaling of the features goes into the weights.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut numbers = self.weights.clone();
        let (first, rest) = numbers.split_at_mut(self.features * HIDDEN);
        for (row, [mean, scale]) in first.chunks_exact_mut(HIDDEN).zip(&self.scaling) {
            for (weight, bias) in row.iter_mut().zip(rest.iter_mut()) {
                *weight *= scale;
                *bias -= *weight * mean;
            }
        }
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}
