// Light or dark: as the system has it, until somebody says otherwise.

function startTheme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const tell = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", "Show the " + (isDark() ? "light" : "dark") + " theme");
    PROBED.clear();
    for (const chart of CHARTS) chart.draw();
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    tell();
  });
  dark.addEventListener("change", tell);
  addEventListener("beforeprint", tell);
  tell();
}
