/**
 * Names of kinds stand only where kinds are: a sixth kind is one folder in `kinds` and one line in `app/kinds.ts`. Imports and
 * string literals count, types too; comments do not.
 */
import { type Finding, importsOf, KINDS, reportOn, roomOf } from './arrows.ts'
import { posix } from 'node:path'

const NAMES = KINDS.map((kind) => kind.slice('kinds/'.length))

/** Files and folders that may name kinds: the list of kinds, what stands above all kinds, and the scripted tests. */
const ALLOWED: readonly string[] = [
  'kinds/',
  'agents/',
  'wrap/',
  'learn/',
  'app/kinds.ts',
  // The verbs about what is learned.
  'cli/learning/',
  'testing/scripted/',
  'testing/scripted.ts',
  // Made from the routes of all kinds.
  'client/routes.ts',
  'client/types.ts',
]

/** Files that name a kind although they should not, and why they still do. One that no longer does is a finding. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'policy/roots.ts': 'a root of capabilities of the seed that happens to be called as a kind is',
}

const COMMENTS = /\/\*[\s\S]*?\*\/|(^|[^:'"`\\])\/\/[^\n]*/g
const LITERALS = new RegExp(String.raw`(['"\`])(?<name>${NAMES.join('|')})(?::[^'"\`\n]*)?\1`, 'g')

/** Checks sources, given by their path below src. */
export function checkKindNames(sources: Iterable<readonly [file: string, text: string]>): Finding[] {
  const findings: Finding[] = []
  const stale = new Set(Object.keys(EXCEPTIONS))
  for (const [file, text] of sources) {
    if (ALLOWED.some((place) => file.startsWith(place))) continue
    const found = [...importedKinds(file, text), ...namedKinds(text)]
    if (found.length > 0 && file in EXCEPTIONS) stale.delete(file)
    else for (const { offset, name } of found) findings.push(findingAt(file, text, offset, name))
  }
  for (const file of stale)
    findings.push({
      file,
      line: 1,
      column: 1,
      message: 'the file names no kind',
      fix: 'take it out of EXCEPTIONS in scripts/kind-names.ts',
    })
  return findings
}

function importedKinds(file: string, text: string): { readonly offset: number; readonly name: string }[] {
  return importsOf(text).flatMap(({ target, offset }) => {
    const room = target.startsWith('.') ? roomOf(posix.join(posix.dirname(file), target)) : ''
    return KINDS.includes(room) ? [{ offset, name: room.slice('kinds/'.length) }] : []
  })
}

function namedKinds(text: string): { readonly offset: number; readonly name: string }[] {
  const code = text.replace(COMMENTS, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(LITERALS)].map((match) => ({ offset: match.index, name: match.groups?.['name'] ?? '' }))
}

function findingAt(file: string, text: string, offset: number, name: string): Finding {
  const before = text.slice(0, offset).split('\n')
  return {
    file,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    message: `the kind ${name} is named outside of kinds`,
    fix: 'ask the module of the kind (programs/kind-module.ts), or move the file into the kind',
  }
}

if (process.argv[1] === import.meta.filename) reportOn('kinds', checkKindNames)
