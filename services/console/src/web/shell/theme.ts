export type Theme = "auto" | "light" | "dark";

const place = "orch-console-theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(place);
  return stored === "light" || stored === "dark" ? stored : "auto";
}

/** Puts a theme into force, and keeps it for the next time. */
export function applyTheme(theme: Theme): void {
  if (theme === "auto") {
    localStorage.removeItem(place);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(place, theme);
    document.documentElement.dataset["theme"] = theme;
  }
}

export const nextTheme: Readonly<Record<Theme, Theme>> = { auto: "light", light: "dark", dark: "auto" };
