import { basename } from 'node:path'
import { type Fault, isFault, type Json } from '../../../kernel/index.ts'
import type { ReadContext, Reader, ReadResult } from '../../../programs/language.ts'
import { readJson, Source } from '../../../text/index.ts'
import { checkTree } from '../check/check-tree.ts'
import type { Locate } from '../check/finding.ts'
import { toolsNamed } from '../check/tools-named.ts'
import { compileTree, type CompileOptions } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { withFunctionContracts } from '../compile/function-contracts.ts'
import { readBuilt } from '../formats/builders.ts'
import { formOf } from '../formats/format.ts'
import { codeLocator, lineDetails, type TreeText } from '../formats/code-locator.ts'
import { codeOf, type LuaChecker, syntaxFindings } from '../formats/code-syntax.ts'
import { readJsonTree, readTreeData } from '../formats/json.ts'
import { lineOf } from '../formats/line-of.ts'
import type { NormalisedTree } from '../formats/normalise.ts'
import { RawTree } from '../formats/raw.ts'
import { type LuaLoader, readLuaTree } from '../formats/read-lua.ts'
import { readXmlTree } from '../formats/xml/read-xml.ts'
import type { TreeSource } from '../model/source.ts'
import type { FunctionRegistry } from '../tick/function-port.ts'
import { treeInputs } from './inputs.ts'
import { type WithScripts, withScriptFiles } from './script-files.ts'

/** What a host knows that trees may name, and where their files in Lua are run. */
export interface TreeReaderHost {
  readonly functions: FunctionRegistry
  readonly tools: () => readonly string[]
  readonly lua: () => Promise<LuaLoader & LuaChecker>
}

/** Reads trees from text, and as objects of modules. */
export function treeReader(options: CompileOptions, host: TreeReaderHost): Reader<CompiledTree> {
  const manifests = [...options.nodes.values()]
  return {
    async read(text, file, context) {
      const form = formOf(text, file)
      if (form === 'lua') return completed(await readLuaTree(text, file, await host.lua(), { manifests }), { text, file }, context)
      const read = form === 'xml' ? readXmlTree : readJsonTree
      return completed(read(text, file, { manifests }), { text, file }, context)
    },
    accept(value, file, context) {
      if (value instanceof RawTree) return completed(readBuilt(value, { manifests }), undefined, context)
      return isTree(value)
        ? completed(
            readTreeData(value as unknown as Json, { manifests, file: value.file }),
            file === undefined ? undefined : { text: '', file },
            context,
          )
        : undefined
    },
    tools: toolsNamed,
    inputs: treeInputs,
  }

  /** Completes, compiles and checks a tree. Without a file its scripts stay as they are. */
  async function completed(
    { source, findings }: NormalisedTree,
    from: TreeText | undefined,
    context: ReadContext | undefined,
  ): Promise<ReadResult> {
    if (source === undefined) return { findings }
    const { parts, ...whole } = from === undefined ? { source, parts: [] } : withText(source, from, context)
    if ('fault' in whole) return { findings: [...findings, whole.fault], parts }
    try {
      return { ...(await checkedTree(whole.source, findings, from, context)), parts }
    } catch (thrown) {
      if (isFault(thrown)) return { findings: [...findings, thrown], parts }
      throw thrown
    }
  }

  async function checkedTree(
    source: TreeSource,
    findings: readonly Fault[],
    from: TreeText | undefined,
    context: ReadContext | undefined,
  ): Promise<ReadResult> {
    const ready = withFunctionContracts(source, host.functions)
    const def = compileTree(ready, options)
    const isScript = (condition: string): boolean => def.code.get(JSON.stringify(condition))?.is === 'script'
    const codes = codeOf(ready, options.nodes, isScript)
    const syntax = await syntaxFindings(codes, host.lua, ready.file ?? ready.id, codeLocator(from))
    const found = checked(def, host, context, from === undefined ? undefined : locatorOf(from, ready))
    const all = [...findings, ...syntax, ...def.warnings, ...found]
    if (all.some(({ severity }) => severity === 'error')) return { findings: all }
    return { program: { id: ready.id, version: ready.version, source: ready as unknown as Json, def }, findings: all }
  }
}

/** Returns a tree with its script files, and its own file by name. */
function withText(source: TreeSource, { file }: TreeText, context: ReadContext | undefined): WithScripts {
  return withScriptFiles({ ...source, file: basename(file) }, file, context?.places?.denied)
}

function checked(
  def: CompiledTree,
  { functions, tools }: TreeReaderHost,
  context: ReadContext = { depth: 'errors' },
  locate?: Locate,
): Fault[] {
  const { lookup, names, depth, lint } = context
  return checkTree(def, {
    lookup,
    names,
    depth: lint === false ? 'errors' : depth,
    functions: Object.keys(functions),
    ...(depth === 'errors' ? {} : { tools: tools() }),
    locate,
  })
}

/** Returns the function that finds the place of a part of a tree: its place in JSON, else the line of its node. */
function locatorOf({ text, file }: TreeText, source: TreeSource): Locate {
  if (formOf(text, file) === 'json') {
    const json = readJson(text, file)
    return (path, note) => json.details(path, { note })
  }
  const lines = new Source(text, file)
  return (path, note) => lineDetails(lines, lineOf(source as unknown as Json, path), file, note)
}

function isTree(value: unknown): value is TreeSource {
  return typeof value === 'object' && value !== null && 'format' in value && 'root' in value && 'id' in value
}
