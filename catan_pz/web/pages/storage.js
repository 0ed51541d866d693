// What the browser keeps for a page, where it may: a person can forbid it, and it can be full.

// The text kept in "localStorage" or "sessionStorage", null for none.
export function remembered(storage, key) {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function remember(storage, key, text) {
  try {
    window[storage].setItem(key, text);
  } catch {
    // The page does without.
  }
}
