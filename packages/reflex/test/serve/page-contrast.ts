/**
 * A function of a page, as text: the texts that can be seen and whose contrast with their background is below what WCAG 2.2 AA asks for
 * (4.5; 3 for large texts).
 */
export const POOR_CONTRASTS = `(() => {
  const rgba = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number)
    return [r, g, b, a]
  }
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor)
      if (color[3] === 1) return color
    }
    return rgba(getComputedStyle(document.body).backgroundColor)
  }
  const poor = []
  let seen = 0
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode
    if (data.trim() === '' || !element.checkVisibility({ contentVisibilityAuto: true })) continue
    const style = getComputedStyle(element)
    const [one, other] = [rgba(style.color), backgroundOf(element)].map(luminance)
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    const size = parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    seen++
    if (ratio < (isLarge ? 3 : 4.5)) poor.push(data.trim().slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return { seen, poor }
})()`
