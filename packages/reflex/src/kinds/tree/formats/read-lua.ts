import { Fault, type FaultData, type Json } from '../../../kernel/index.ts'
import { Source, suggest } from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { NODES } from '../nodes/table.ts'
import { callNames } from './call-shapes.ts'
import { fileNameFinding } from './file-name.ts'
import { unknownType } from './findings.ts'
import { luaPrelude } from './lua-prelude.ts'
import { isTree, returnedPart } from './lua-parts.ts'
import { type NormalisedTree, type NormaliseOptions, normaliseTree } from './normalise.ts'
import { RawNode } from './raw.ts'

/** Runs a definition file in the sandbox: `load` of a `LuaPool`. */
export interface LuaLoader {
  load(request: { readonly text: string; readonly file: string; readonly prelude: string }): Promise<LoadedLua>
}

export type LoadedLua = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly fault: FaultData }

/**
 * Reads a tree in Lua: a chunk that returns the value of `BT.tree(name, config)`. Returns all findings, each with the line of the call. A chunk
 * that ends with an error has that one finding: R1241 (E5001), R1242 (E5002), R1243 (E5003), R1261 (E7001).
 */
export async function readLuaTree(
  text: string,
  file: string,
  lua: LuaLoader,
  options: Omit<NormaliseOptions, 'file'> = {},
): Promise<NormalisedTree> {
  const manifests = options.manifests ?? NODES
  const names = callNames(manifests)
  const source = new Source(text, file)
  const loaded = await lua.load({ text, file, prelude: luaPrelude(manifests) })
  if (!loaded.ok) return { findings: [unknownFunction(loaded.fault, source, [...names.keys()]) ?? faultOf(loaded.fault)] }
  const returned = returnedPart(loaded.value, names, source)
  if (!('part' in returned) || !isTree(returned.part)) {
    return { findings: [wrongReturn('part' in returned ? returned.part : returned.type, source)] }
  }
  const { source: tree, findings } = normaliseTree(returned.part, { ...options, file, acceptsFunctions: false })
  return { ...(tree === undefined ? {} : { source: tree }), findings: [...findings, ...fileNameFinding(returned.part, file)] }
}

function faultOf({ code, message, verdict, ...details }: FaultData): Fault {
  return new Fault(code, message, verdict, details)
}

/** A call of a function of `BT`. */
const CALL = /\bBT\s*\.\s*(\w+)/g

/** Returns a better fault for a call of a function that `BT` does not have, which Lua sees as a call of nil. */
function unknownFunction({ code, message, line }: FaultData, source: Source, names: readonly string[]): Fault | undefined {
  const name = code === 'R1242' ? /attempt to call a nil value \(field '(\w+)'\)/.exec(message)?.[1] : undefined
  if (name === undefined || line === undefined || names.includes(name)) return undefined
  const [start, end] = source.lines.range(line)
  const found = [...source.text.slice(start, end).matchAll(CALL)].find((match) => match[1] === name)
  if (found === undefined) return undefined
  const guess = suggest(name, names)
  const place = source.details(start + found.index, found[0].length)
  const fix = guess === undefined ? 'reflex explain nodes lists the types of nodes' : `write BT.${guess}`
  return faults.finding('R1202', unknownType(name, guess), { ...place, rule: 'E4002', fix })
}

const EXAMPLE = 'return BT.tree("name", { root = … })'

/** The fault of a chunk that does not return a tree. */
function wrongReturn(value: unknown, source: Source): Fault {
  const last = source.text.trimEnd().length
  const line = source.lines.positionAt(last).line
  const [start, end] = source.lines.range(line)
  if (value instanceof RawNode) {
    const message = `the file returns a node (NodeDefinition, BT.${value.type}), and must return a tree (TreeDefinition): wrap it in BT.tree`
    return faults.finding('R1202', message, { ...value.origin.at(), rule: 'E4002', fix: `write ${EXAMPLE}` })
  }
  const found = value === 'nil' ? 'nothing' : typeof value === 'string' ? `a ${value}` : 'a contract'
  const message = `the file returns ${found}, and must return a tree (TreeDefinition), made with BT.tree`
  return faults.finding('R1202', message, {
    ...source.details(start, Math.max(1, end - start)),
    rule: 'E4002',
    fix: `end the file with ${EXAMPLE}`,
  })
}
