import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, type Program } from 'typescript/unstable/sync'

/** An error that the compiler finds: `program.ts:27` and what it says. */
interface TypeFault {
  readonly place: string
  readonly text: string
}

/** The compiler options of a strict application that runs its own sources. */
const APPLICATION = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
} as const

/**
 * Returns the errors in TypeScript files of a folder. The sources that they import are read and not judged: that is `npm run typecheck`. `config`
 * is the content of the tsconfig.json, which is written to the folder.
 */
export function typeFaults(
  folder: string,
  files: readonly string[],
  config: object = { compilerOptions: APPLICATION },
): readonly TypeFault[] {
  const path = join(folder, 'tsconfig.json')
  writeFileSync(path, JSON.stringify({ ...config, files }))
  const api = new API({ cwd: folder })
  try {
    const program = api.updateSnapshot({ openProjects: [path] }).getProject(path)?.program
    if (program === undefined) throw new Error(`the compiler has not opened ${path}`)
    const found = [...program.getConfigFileParsingDiagnostics(), ...program.getProgramDiagnostics(), ...program.getGlobalDiagnostics()]
    const ofConfig = found.map(({ text }) => ({ place: 'tsconfig.json', text }))
    return [...ofConfig, ...files.flatMap((file) => faultsOf(program, folder, file))]
  } finally {
    api.close()
  }
}

function faultsOf(program: Program, folder: string, file: string): readonly TypeFault[] {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const found = [...program.getSyntacticDiagnostics(path), ...program.getSemanticDiagnostics(path)]
  return found.map(({ pos, text }) => ({ place: `${file}:${source.slice(0, pos).split('\n').length}`, text }))
}
