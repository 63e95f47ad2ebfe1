/**
 * `npm run claims`: what each kind claims, against the tests that prove it. docs/claims/KIND.md lists the claims by the numbers of
 * the seed and of the reference, and what is left out with its reason; a test names what it proves in a comment, such as
 * `// proves: workflow 2.7a, workflow C4`. Prints every claim that neither a test nor a reason names, and every name that is no claim.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

/** The claims of a page: ids such as `2.7a`, and those of them that are left out. */
export interface Claims {
  readonly kind: string
  readonly claimed: readonly string[]
  readonly leftOut: readonly string[]
}

/** A row of a table that begins with an id in backticks. Rows below the heading `Left out` have their reason in the second column. */
const ROW = /^\| `([^`|]+)` \| (.+?) \|/gm

/** Reads a page of claims. */
export function claimsOf(kind: string, page: string): Claims {
  const [claimed = '', leftOut = ''] = page.split(/^## Left out$/m)
  const ids = (text: string): string[] => [...text.matchAll(ROW)].map(([, id = '']) => id)
  return { kind, claimed: ids(claimed), leftOut: ids(leftOut) }
}

/** The claims that a test file says it proves, as `kind id`. */
export function provenIn(source: string): string[] {
  return [...source.matchAll(/\/\/ proves: (.+)$/gm)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
}

/** The mismatches: one line each, in the order of the pages. */
export function faultsOf(pages: readonly Claims[], proven: ReadonlySet<string>): string[] {
  const known = new Set<string>()
  const faults: string[] = []
  for (const { kind, claimed, leftOut } of pages) {
    for (const id of claimed) {
      const name = `${kind} ${id}`
      if (known.has(name)) faults.push(`${name} is claimed twice`)
      known.add(name)
      if (leftOut.includes(id) && proven.has(name)) faults.push(`${name} is left out, and a test proves it`)
      if (!leftOut.includes(id) && !proven.has(name)) faults.push(`${name} is claimed, and no test proves it`)
    }
    for (const id of leftOut) if (!claimed.includes(id)) faults.push(`${kind} ${id} is left out, and nothing claims it`)
  }
  for (const name of proven) if (!known.has(name)) faults.push(`${name} is proven by a test, and no page claims it`)
  return faults
}

/** The pages and the tests of this checkout. */
export function claimsHere(): { readonly pages: readonly Claims[]; readonly proven: ReadonlySet<string> } {
  const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8')
  const pages = globSync('docs/claims/*.md', { cwd: ROOT })
    .toSorted()
    .filter((file) => basename(file) !== 'README.md')
    .map((file) => claimsOf(basename(file, '.md'), read(file)))
  const tests = globSync(['packages/*/test/**/*.test.ts', 'examples/**/*.test.ts'], { cwd: ROOT })
  return { pages, proven: new Set(tests.flatMap((file) => provenIn(read(file)))) }
}

if (process.argv[1] === import.meta.filename) {
  const { pages, proven } = claimsHere()
  const faults = faultsOf(pages, proven)
  for (const fault of faults) console.log(`error claims  ${fault}`)
  for (const { kind, claimed, leftOut } of pages)
    console.log(`claims: ${kind}  ${claimed.length} claimed, ${leftOut.length} left out with a reason`)
  if (faults.length > 0) process.exitCode = 1
}
