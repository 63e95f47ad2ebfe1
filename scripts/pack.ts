/** `npm run pack`: the packages that are published, as tarballs: dist, the command, and manifests whose doors lead into dist. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { build, buildCluster } from './build.ts'
import { builtExports, CLUSTER, PACKAGE } from './exports.ts'
import { npm } from './npm.ts'

const ROOT = resolve(import.meta.dirname, '..')
const NODE_FLOOR = '>=22.13'

interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The published manifest, made from that of the workshop. */
export function publishedManifest(source: SourceManifest, files: readonly string[]): Record<string, unknown> {
  const { devDependencies: _, scripts: __, ...kept } = source
  return { ...kept, exports: builtExports(source.exports), files, engines: { node: NODE_FLOOR } }
}

/** Fills a folder with what is published of the runtime and packs it; answers with the path of the tarball. */
export async function pack(stage: string): Promise<string> {
  mkdirSync(stage, { recursive: true })
  await build(join(stage, 'dist'))
  cpSync(resolve(PACKAGE, 'bin'), join(stage, 'bin'), { recursive: true })
  if (existsSync(resolve(ROOT, 'README.md'))) cpSync(resolve(ROOT, 'README.md'), join(stage, 'README.md'))
  return packStage(stage, PACKAGE, ['bin', 'dist'])
}

/** Packs packages/cluster in the same way. */
export async function packCluster(stage: string): Promise<string> {
  mkdirSync(stage, { recursive: true })
  await buildCluster(join(stage, 'dist'))
  cpSync(resolve(CLUSTER, 'deploy'), join(stage, 'deploy'), { recursive: true })
  return packStage(stage, CLUSTER, ['deploy', 'dist'])
}

function packStage(stage: string, folder: string, files: readonly string[]): string {
  if (existsSync(resolve(ROOT, 'LICENSE'))) cpSync(resolve(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
  const manifest = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')) as SourceManifest
  writeFileSync(join(stage, 'package.json'), JSON.stringify(publishedManifest(manifest, files), undefined, 2))
  const [packed] = JSON.parse(npm(['pack', '--json', '--loglevel=error'], stage)) as { filename: string }[]
  if (packed === undefined) throw new Error('npm pack made nothing')
  return join(stage, packed.filename)
}

if (process.argv[1] === import.meta.filename) {
  const stage = mkdtempSync(join(tmpdir(), 'reflex-pack-'))
  try {
    const [runtime = '', cluster = ''] = [await pack(join(stage, 'runtime')), await packCluster(join(stage, 'cluster'))].map((packed) => {
      const tarball = resolve(ROOT, basename(packed))
      cpSync(packed, tarball)
      return tarball
    })
    console.log(`${runtime}\n  in your project    npm install ${runtime}\n${cluster}\n  for many machines  npm install ${cluster} pg`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
