// Numbers as people read them.

const NARROW = "\u202f";

/** A count in groups of three digits. */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, NARROW);
}

/** A share of 1 in percent. */
export function percent(share, digits = 3) {
  return `${(100 * share).toFixed(digits)} %`;
}

/** Bytes in binary units. */
export function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) {
    number /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? number : number.toFixed(1)} ${units[unit]}`;
}
