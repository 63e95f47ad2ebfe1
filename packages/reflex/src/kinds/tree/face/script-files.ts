import { textOf } from '../model/text-of.ts'
import { readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, normalize, resolve } from 'node:path'
import { type Fault, isFault, type JsonObject } from '../../../kernel/index.ts'
import { placed } from '../../../programs/file-above.ts'
import { faults } from '../model/faults.ts'
import type { NodeSource, TreeSource } from '../model/source.ts'

/** The longest script file in bytes. */
const MOST_BYTES = 1024 * 1024

/** A reader of files in the folder of one tree. */
interface ScriptFolder {
  readonly folder: string
  readonly denied: ((real: string) => boolean) | undefined
  /** Takes the path of each file. */
  readonly paths: Set<string>
}

/** A tree with the text of its script files, or the fault of the first file that cannot be read; and the paths of the files up to there. */
export type WithScripts = ({ readonly source: TreeSource } | { readonly fault: Fault }) & { readonly parts: readonly string[] }

/**
 * Returns a tree in which the text of script files stands in place of their names, so that a run pins it. `file` is the path of the tree; its
 * scripts are below its folder. Faults: R1262 for a file outside, R1201 for one that cannot be read.
 */
export function withScriptFiles(source: TreeSource, file: string, denied?: (real: string) => boolean): WithScripts {
  const paths = new Set<string>()
  try {
    return { source: treeWith(source, { folder: dirname(resolve(file)), denied, paths }), parts: [...paths] }
  } catch (thrown) {
    if (isFault(thrown)) return { fault: thrown, parts: [...paths] }
    throw thrown
  }
}

function treeWith(source: TreeSource, folder: ScriptFolder): TreeSource {
  const { root, on_failure, trees } = source
  return {
    ...source,
    root: nodeWith(root, source, folder),
    ...(on_failure === undefined ? {} : { on_failure: nodeWith(on_failure, source, folder) }),
    ...(trees === undefined ? {} : { trees: Object.fromEntries(Object.entries(trees).map(([id, tree]) => [id, treeWith(tree, folder)])) }),
  }
}

function nodeWith(node: NodeSource, tree: TreeSource, folder: ScriptFolder): NodeSource {
  const { type, params, children } = node
  const isFile = type === 'script' && typeof params?.file === 'string' && params.code === undefined
  return {
    ...node,
    ...(isFile ? { params: paramsWith(params, node, tree, folder) } : {}),
    ...(children === undefined ? {} : { children: children.map((child) => nodeWith(child, tree, folder)) }),
  }
}

function paramsWith({ file, ...params }: JsonObject, node: NodeSource, tree: TreeSource, folder: ScriptFolder): JsonObject {
  const name = textOf(file)
  const place = { file: tree.file, line: node.line, path: node.id }
  if (isAbsolute(name) || normalize(name).startsWith('..') || name.includes('\0')) throw outside(name, place)
  const path = resolve(folder.folder, name)
  folder.paths.add(path)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw missing(name, 'there is no such file', place)
  const real = placed(path, { roots: [placed(folder.folder, { roots: ['/'] }) ?? folder.folder], denied: folder.denied })
  if (real === undefined) throw outside(name, place)
  const bytes = readFileSync(real)
  if (bytes.length > MOST_BYTES) throw missing(name, `it has ${bytes.length} bytes; a script has at most ${MOST_BYTES}`, place)
  return { ...params, code: bytes.toString('utf8'), code_file: name }
}

type Place = { readonly file: string | undefined; readonly line: number | undefined; readonly path: string }

function outside(name: string, place: Place): Fault {
  const message = `the script file ${JSON.stringify(name)} leads out of the folder of the tree; nothing was opened`
  return faults.make('R1262', message, { rule: 'E7002', ...place, data: { path: name } })
}

function missing(name: string, why: string, place: Place): Fault {
  return faults.make('R1201', `the script file ${JSON.stringify(name)} cannot be read: ${why}`, {
    rule: 'E4001',
    ...place,
    data: { path: name },
  })
}
