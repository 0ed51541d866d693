// A page's browser storage, which may be forbidden or full.

// The text stored in "localStorage" or "sessionStorage", null for none.
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
    // The page works without it.
  }
}
