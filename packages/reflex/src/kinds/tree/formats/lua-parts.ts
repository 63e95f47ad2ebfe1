import { isList, isObject, type Json } from '../../../kernel/index.ts'
import type { Source } from '../../../text/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { textOf } from '../model/text-of.ts'
import { nodeOfCall, treeOfCall } from './call-shapes.ts'
import { CodePlaces } from './code-places.ts'
import { type Origin, RawFunction, RawTable, RawTree, withoutTables } from './raw.ts'

/** The result of a chunk: a node, a tree or a contract of `BT`, or the type of any other value. */
export type Returned = { readonly part: unknown } | { readonly type: string }

/**
 * Returns the parts that the functions of `BT` have noted, as nodes and trees as they are written. Each part refers only to earlier ones, so they are
 * turned one after another.
 */
export function returnedPart(answer: Json, names: ReadonlyMap<string, NodeManifest>, source: Source): Returned {
  const { returned = null, parts = [] } = isObject(answer) ? answer : {}
  if (typeof returned !== 'number') return { type: typeof returned === 'string' ? returned : 'nil' }
  const made: unknown[] = []
  const text: LuaText = { source, codes: new CodePlaces(source) }
  for (const part of listOf(parts)) made.push(partOf(part, made, names, text))
  return { part: made[returned - 1] }
}

/** The text of a definition file, with the places of the code in it. */
interface LuaText {
  readonly source: Source
  readonly codes: CodePlaces
}

function partOf(part: Json, made: readonly unknown[], names: ReadonlyMap<string, NodeManifest>, text: LuaText): unknown {
  if (!isObject(part)) return undefined
  const value = (given: Json | undefined): unknown => {
    if (given === undefined || !isObject(given)) return given
    return typeof given.r === 'number' ? made[given.r - 1] : new RawFunction()
  }
  if (typeof part.t !== 'string') {
    const list = listOf(part.l).map((pair): [number, unknown] => [Number(at(pair, 0)), value(at(pair, 1))])
    const keys = listOf(part.k).map((pair): [string, unknown] => [textOf(at(pair, 0)), value(at(pair, 1))])
    return new RawTable(
      list.sort(([a], [b]) => a - b),
      new Map(keys),
    )
  }
  const args = listOf(part.a).map((pair) => value(at(pair, 1)))
  const origin = originOf(part.t, typeof part.line === 'number' ? part.line : undefined, text)
  if (part.t === 'tree' || part.t === 'subtree') return treeOfCall(args, origin)
  if (part.t === 'contract') return withoutTables(args[0])
  return nodeOfCall(part.t, args, origin, names.get(part.t))
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : []
}

function at(pair: Json, place: 0 | 1): Json | undefined {
  return isList(pair) ? pair[place] : undefined
}

/** The place of a call of `BT`: its name, if it stands once on the line, or a key of it on that line; otherwise the whole line. */
function originOf(name: string, line: number | undefined, { source, codes }: LuaText): Origin {
  return {
    line,
    codeLine: (_, code) => (line === undefined ? undefined : codes.lineOf(code, line)),
    at(key, note) {
      if (line === undefined) return source.file === undefined ? {} : { file: source.file }
      const [start, end] = source.lines.range(line)
      const text = source.text.slice(start, end)
      const [offset, length] = spanIn(text, name, key)
      return source.details(start + offset, length, note)
    },
  }
}

function spanIn(text: string, name: string, key: string | undefined): readonly [offset: number, length: number] {
  const keyed = key === undefined ? [] : [...text.matchAll(/(?<![\w.])([A-Za-z_]\w*)(?=\s*=(?!=))/g)].filter(([word]) => word === key)
  const called = [...text.matchAll(/\bBT\s*\.\s*(\w+)/g)].filter(([, word]) => word === name)
  const [only] = keyed.length === 1 ? keyed : called.length === 1 ? called : []
  if (only !== undefined) return [only.index, only[0].length]
  const indent = text.length - text.trimStart().length
  return [indent, Math.max(1, text.trim().length)]
}

/** True for a tree that `BT.tree` made. */
export function isTree(part: unknown): part is RawTree {
  return part instanceof RawTree
}
