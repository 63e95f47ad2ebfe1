import { el } from './dom.js'

/**
 * True for a text in the form of a unified diff.
 * @param {string} text
 */
export function isDiff(text) {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text)
}

/**
 * Returns a unified diff, line by line. A line says by its first character, its element and its colour what it is.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function diffElement(text) {
  // The lines of the old and of the new file that the hunk still has: `--- a` is the name of a file only outside of a hunk.
  let [old, fresh] = [0, 0]
  const rows = text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
      if (hunk !== null) {
        ;[old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)]
        return el('span', { class: 'hunk' }, line)
      }
      if (line.startsWith('\\')) return el('span', {}, line)
      if (old <= 0 && fresh <= 0) return el('span', { class: 'head' }, line)
      if (!line.startsWith('+')) old--
      if (!line.startsWith('-')) fresh--
      return el(line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span', {}, line)
    })
  const [added, removed] = ['ins', 'del'].map((tag) => rows.filter(({ localName }) => localName === tag).length)
  return el('pre', { class: 'diff', role: 'group', 'aria-label': `Diff: ${added} lines added, ${removed} removed` }, ...rows)
}
