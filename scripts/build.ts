/**
 * `npm run build`: what is published of packages/reflex, in its `dist`; `npm run pack` also builds packages/cluster. Declarations come from the compiler, file by file; the
 * code is bundled, since a command would otherwise open hundreds of modules before it starts.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { CLUSTER, PACKAGE } from './exports.ts'
import { run } from './npm.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Needed by every command. Others stay packages of their own: they are loaded when something first needs them. */
const BUNDLED = ['commander', 'jsonc-parser', 'zod']

/**
 * The code in layers, each with everything that the layers before it lack: opening a chunk takes time, and the bundler would make
 * one for each set of doors and verbs that share a file. A light command, such as `reflex runs`, needs the first two alone, `Reflex`
 * the third, and a program the layer of its kind.
 */
const LAYERS: readonly (readonly [name: string, files: RegExp])[] = [
  ['command', /\/src\/cli\/main\.ts$/],
  ['stored', /\/src\/cli\/(command|store-session|verbs\/runs)\.ts$/],
  ['reflex', /\/src\/cli\/session\.ts$/],
  ['workflow', /\/src\/(agents\/(decision-agents|index)|kinds\/workflow\/(body|index))\.ts$/],
  ['pipeline', /\/src\/kinds\/pipeline\/(face\/body|index)\.ts$/],
  ['ports', /\/src\/(store|policy|models|tools|people)\/index\.ts$/],
]

/** Programs of workers, which no module imports: `kinds/tree/lua/pool-worker.ts` starts this one. They are the same in every layout of the chunks. */
const WORKERS: Readonly<Record<string, string>> = { 'lua-worker': 'src/kinds/tree/lua/machine/worker.ts' }

/** The page of the server runs in a browser as it is written. Its types stay here. */
const PAGE = 'src/serve/page'

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Builds into a folder, which it empties first. Throws with the words of the compiler or of the bundler. */
export async function build(outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  const project = resolve(PACKAGE, 'tsconfig.build.json')
  run(
    process.execPath,
    [resolve(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project, '--outDir', outDir, '--emitDeclarationOnly'],
    ROOT,
  )
  await bundle(outDir)
  cpSync(resolve(PACKAGE, PAGE), join(outDir, basename(PAGE)), { recursive: true, filter: (file) => !/\.(ts|json)$/.test(file) })
}

async function bundle(outDir: string): Promise<void> {
  const { exports: doors, dependencies, peerDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Manifest
  const files = [...Object.values(doors), './src/cli/main.ts']
  const input = Object.fromEntries(files.map((file) => [file.replace('./src/', '').replace(/\.ts$/, ''), resolve(PACKAGE, file)]))
  for (const [name, file] of Object.entries(WORKERS)) input[name] = resolve(PACKAGE, file)
  const outside = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !BUNDLED.includes(name))
  const bundled = await rolldown({
    input,
    platform: 'node',
    // The module form of a package that has two: the other one cannot be bundled whole.
    resolve: { mainFields: ['module', 'main'] },
    // The layers decide on the chunks, and not what is imported when.
    checks: { ineffectiveDynamicImport: false },
    external: (id) => id.startsWith('node:') || outside.some((name) => id === name || id.startsWith(`${name}/`)),
  })
  await bundled.write({
    dir: outDir,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // The declarations have the documentation; in the code it would only be read at each start.
    comments: { jsdoc: false },
    codeSplitting: { groups: LAYERS.map(([name, test], i) => ({ name, test, priority: LAYERS.length - i })) },
  })
  await bundled.close()
}

/** The types of the cluster's one door are the contract of the runtime. */
const CLUSTER_TYPES = `import type { ClusterPackage } from 'reflex-runtime/store'
export declare const openCluster: ClusterPackage['openCluster']
export declare const findCluster: ClusterPackage['findCluster']
`

/** Builds packages/cluster into a folder, which it empties first. Whatever it imports stays a package of its own. */
export async function buildCluster(outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  const bundled = await rolldown({ input: { index: resolve(CLUSTER, 'src/index.ts') }, platform: 'node', external: /^[^./]/ })
  await bundled.write({ dir: outDir, format: 'esm', comments: { jsdoc: false } })
  await bundled.close()
  writeFileSync(join(outDir, 'index.d.ts'), CLUSTER_TYPES)
}

if (process.argv[1] === import.meta.filename) await build(join(PACKAGE, 'dist'))
