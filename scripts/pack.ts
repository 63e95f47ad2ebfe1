/** `npm run pack`: the package that is published, as a tarball: dist, the command, and a manifest whose doors lead into dist. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { build } from './build.ts'
import { builtExports, PACKAGE } from './exports.ts'
import { npm } from './npm.ts'

const ROOT = resolve(import.meta.dirname, '..')
const NODE_FLOOR = '>=22.13'

interface SourceManifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The published manifest, made from that of the workshop. */
export function publishedManifest(source: SourceManifest): Record<string, unknown> {
  const { devDependencies: _, scripts: __, ...kept } = source
  return { ...kept, exports: builtExports(source.exports), files: ['bin', 'dist'], engines: { node: NODE_FLOOR } }
}

/** Fills a folder with what is published and packs it; answers with the path of the tarball. */
export async function pack(stage: string): Promise<string> {
  mkdirSync(stage, { recursive: true })
  await build(join(stage, 'dist'))
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

if (process.argv[1] === import.meta.filename) {
  const stage = mkdtempSync(join(tmpdir(), 'reflex-pack-'))
  try {
    const packed = await pack(stage)
    const tarball = resolve(ROOT, basename(packed))
    cpSync(packed, tarball)
    console.log(`${tarball}\n  in your project  npm install ${tarball}`)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
