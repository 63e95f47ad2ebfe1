/** Builds the package that is published: dist, the command, and a manifest whose doors lead into dist. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { builtExports, PACKAGE } from './exports.ts'

const ROOT = resolve(import.meta.dirname, '..')
const NODE_FLOOR = '>=22.13'

interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The published manifest, made from that of the workshop. */
export function publishedManifest(source: SourceManifest): Record<string, unknown> {
  const { devDependencies: _, ...kept } = source
  return { ...kept, exports: builtExports(source.exports), files: ['bin', 'dist'], engines: { node: NODE_FLOOR }, sideEffects: false }
}

/** Compiles into the folder; throws with the compiler's words. */
function build(outDir: string): void {
  const project = resolve(PACKAGE, 'tsconfig.build.json')
  run(process.execPath, [resolve(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project, '--outDir', outDir], ROOT)
}

/** Fills a folder with what is published and packs it; answers with the path of the tarball. */
export function pack(stage: string): string {
  mkdirSync(stage, { recursive: true })
  build(join(stage, 'dist'))
  cpSync(resolve(PACKAGE, 'bin'), join(stage, 'bin'), { recursive: true })
  for (const page of ['README.md', 'LICENSE']) {
    if (existsSync(resolve(ROOT, page))) cpSync(resolve(ROOT, page), join(stage, page))
  }
  const manifest = JSON.parse(readFileSync(resolve(PACKAGE, 'package.json'), 'utf8')) as SourceManifest
  writeFileSync(join(stage, 'package.json'), JSON.stringify(publishedManifest(manifest), undefined, 2))
  const [packed] = JSON.parse(npm(['pack', '--json', '--loglevel=error'], stage)) as { filename: string }[]
  if (packed === undefined) throw new Error('npm pack made nothing')
  return join(stage, packed.filename)
}

/** Runs npm in a folder: the one that started this script, when there is one. */
export function npm(args: readonly string[], cwd: string): string {
  const cli = process.env['npm_execpath']
  return cli === undefined ? run('npm', args, cwd) : run(process.execPath, [cli, ...args], cwd)
}

/** Runs a command and answers with its output; what it printed is in the error when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`.trim(), { cause: error })
  }
}
