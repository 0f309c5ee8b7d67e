// Numbers and times as people read them.

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const COUNTS = ["", " K", " M", " G", " T"];

function scaled(value, step, units) {
  let unit = 0;
  while (value >= step && unit < units.length - 1) {
    value /= step;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return value.toFixed(digits) + units[unit];
}

/** Bytes in binary units: `1.5 GiB`. */
export const bytes = (value) => scaled(value, 1024, BYTES.map((unit) => " " + unit));

/** A count in short: `52.3 M`. */
export const short = (value) => scaled(value, 1000, COUNTS);

/** A rate a second: `52.3 M/s`. */
export const rate = (value) => short(value) + "/s";

/** A count in groups of three digits: `780 027 792`. */
export const count = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

/** A share in percent that only says 100 at the end. */
export function percent(part, whole) {
  if (part <= 0 || whole <= 0) return "0\u00a0%";
  if (part >= whole) return "100\u00a0%";
  return Math.min(99.9, (100 * part) / whole).toFixed(1) + "\u00a0%";
}

/** A time span: `45 s`, `12 min`, `3 h 20 min`, `2 d 5 h`. */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return `${minutes} min ${whole % 60} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const two = (number) => String(number).padStart(2, "0");

/** The time of day, of milliseconds since 1970: `14:03`. */
export function clock(millis) {
  const date = new Date(millis);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment, of milliseconds since 1970: `14:03:22`, with the date if that is not today. */
export function moment(millis) {
  const date = new Date(millis);
  const time = `${clock(millis)}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
