import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { parseAst } from 'vitest/node'

const SRC = resolve(import.meta.dirname, '../../../src')

/** A regular expression that stands in a source. */
export interface Written {
  readonly place: string
  readonly pattern: string
  readonly flags: string
  /** It is searched for again and again, whatever its flags say. */
  readonly every: boolean
}

/** Every pattern in the sources, and the places where one is made while the program runs. */
export function patternsOfSources(): { readonly written: readonly Written[]; readonly made: readonly string[] } {
  const written: Written[] = []
  const made: string[] = []
  for (const file of globSync('**/*.ts', { cwd: SRC }).sort()) {
    const text = readFileSync(resolve(SRC, file), 'utf8')
    const lineOf = (at: number): number => text.slice(0, at).split('\n').length
    // oxlint-disable-next-line typescript/no-deprecated -- the successor is only in vite, which is not a dependency of ours
    visit(parseAst(stripTypeScriptTypes(text)), false, (node, every) => {
      const regex = node['regex']
      if (isNode(regex)) {
        const [pattern, flags] = [String(regex['pattern']), String(regex['flags'])]
        written.push({
          place: `${file.replaceAll('\\', '/')}:${lineOf(Number(node['start']))}`,
          pattern,
          flags,
          every: every || flags.includes('g'),
        })
      }
      if (isRegExpCall(node)) made.push(file.replaceAll('\\', '/'))
    })
  }
  return { written, made: [...new Set(made)] }
}

type Node = Readonly<Record<string, unknown>>

function visit(value: unknown, every: boolean, see: (node: Node, every: boolean) => void): void {
  if (Array.isArray(value)) return value.forEach((one) => visit(one, every, see))
  if (!isNode(value)) return
  see(value, every)
  const splits = value['type'] === 'CallExpression' && isNode(value['callee']) && nameOf(value['callee']['property']) === 'split'
  for (const [key, inner] of Object.entries(value)) visit(inner, splits && key === 'arguments', see)
}

function isRegExpCall(node: Node): boolean {
  return /^(?:New|Call)Expression$/.test(String(node['type'])) && nameOf(node['callee']) === 'RegExp'
}

function nameOf(node: unknown): unknown {
  return isNode(node) ? node['name'] : undefined
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp)
}
