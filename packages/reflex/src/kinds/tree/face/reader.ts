import type { Json } from '../../../kernel/index.ts'
import { isFault } from '../../../kernel/index.ts'
import type { Reader, ReadResult } from '../../../programs/language.ts'
import { readJson } from '../../../text/index.ts'
import { compileTree, type CompileOptions } from '../compile/compile.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { TreeSource } from '../model/source.ts'
import { withFunctionContracts } from '../compile/function-contracts.ts'
import { treeInputs } from './inputs.ts'
import { type TreeReaderHost, unknownNames } from './named-code.ts'
import { withScriptFiles } from './script-files.ts'

/** Reads trees from text, and as objects of modules. */
export function treeReader(options: CompileOptions, host: TreeReaderHost): Reader<CompiledTree> {
  return {
    read: (text, file, { places }) => {
      const json = readJson(text, file)
      return programOf(json.value as unknown as TreeSource, options, host, { file, denied: places?.denied })
    },
    accept: (value, file, { places } = {}) =>
      isTree(value) ? programOf(value, options, host, file === undefined ? undefined : { file, denied: places?.denied }) : undefined,
    inputs: treeInputs,
  }
}

interface ReadFrom {
  readonly file: string
  readonly denied: ((real: string) => boolean) | undefined
}

/** Completes, compiles and checks a tree. Without a file its scripts stay as they are. */
function programOf(given: TreeSource, options: CompileOptions, host: TreeReaderHost, from?: ReadFrom): ReadResult {
  try {
    const whole = from === undefined ? given : withScriptFiles(given, from.file, from.denied)
    if (isFault(whole)) return { findings: [whole] }
    const source = withFunctionContracts(whole, host.functions)
    const def = compileTree(source, options)
    const unknown = unknownNames(def, host)
    if (unknown.length > 0) return { findings: [...unknown, ...def.warnings] }
    return { program: { id: source.id, version: source.version, source: source as unknown as Json, def }, findings: def.warnings }
  } catch (thrown) {
    if (isFault(thrown)) return { findings: [thrown] }
    throw thrown
  }
}

function isTree(value: unknown): value is TreeSource {
  return typeof value === 'object' && value !== null && 'format' in value && 'root' in value && 'id' in value
}
