/**
 * True if a pattern matches a path: `*` stands for any characters of a step, `?` for one character, `**` for any steps.
 * A pattern without a slash matches files in any folder. The time is at most proportional to the product of both
 * lengths.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const steps = pattern.replace(/^\.\//, '').split('/')
  const wanted = steps.length === 1 ? ['**', ...steps] : steps
  return matches(wanted, path.split('/'), (step) => step === '**', matchesStep)
}

function matchesStep(pattern: string, step: string): boolean {
  return matches(
    Array.from(pattern),
    Array.from(step),
    (char) => char === '*',
    (char, found) => char === '?' || char === found,
  )
}

/** Matches parts one by one; a part for which `isAny` is true matches any number of parts. */
function matches(
  pattern: readonly string[],
  parts: readonly string[],
  isAny: (part: string) => boolean,
  fits: (part: string, found: string) => boolean,
): boolean {
  let reached = [true, ...parts.map(() => false)]
  for (const part of pattern) {
    const next: boolean[] = []
    for (let i = 0; i <= parts.length; i++) {
      if (isAny(part)) next.push((reached[i] ?? false) || (next[i - 1] ?? false))
      else next.push(i > 0 && (reached[i - 1] ?? false) && fits(part, parts[i - 1] ?? ''))
    }
    reached = next
  }
  return reached.at(-1) ?? false
}
