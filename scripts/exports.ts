/**
 * The doors of the package, and the export map made from them. `npm run exports` rewrites the map of
 * packages/reflex/package.json; with `--check` it only says whether the map is up to date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * The rooms and kinds that have a public door; the empty name is the front door. A door is src/<room>/index.ts, of a kind
 * src/kinds/<kind>/index.ts, and of skills that of the room which wraps agents with them.
 */
export const DOORS = [
  '',
  'kernel',
  'store',
  'policy',
  'models',
  'tools',
  'people',
  'agents',
  'workflow',
  'pipeline',
  'tree',
  'dataflow',
  'skill',
  'testing',
  'client',
] as const

export const PACKAGE = resolve(import.meta.dirname, '../packages/reflex')
export const CLUSTER = resolve(import.meta.dirname, '../packages/cluster')

const subpath = (door: string): string => (door === '' ? '.' : `./${door}`)
const KINDS: readonly string[] = ['workflow', 'pipeline', 'tree', 'dataflow']
const indexOf = (door: string): string => {
  if (door === '') return 'index'
  return KINDS.includes(door) ? `kinds/${door}/index` : `${door === 'skill' ? 'wrap' : door}/index`
}

/** The map of the workshop: sources, and only of rooms that exist. */
export function sourceExports(exists: (file: string) => boolean): Record<string, string> {
  const files = DOORS.map((door) => [subpath(door), `./src/${indexOf(door)}.ts`] as const)
  return Object.fromEntries(files.filter(([, file]) => exists(file)))
}

/** The same doors once built: declarations and JavaScript below dist. */
export function builtExports(doors: Readonly<Record<string, string>>): Record<string, { types: string; default: string }> {
  const built = (file: string, ending: string): string => file.replace('./src/', './dist/').replace(/\.ts$/, ending)
  return Object.fromEntries(
    Object.entries(doors).map(([door, file]) => [door, { types: built(file, '.d.ts'), default: built(file, '.js') }]),
  )
}

/** The text of a manifest with its export map replaced. */
export function withExports(manifest: string, doors: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ ...(JSON.parse(manifest) as object), exports: doors }, undefined, 2)}\n`
}

if (process.argv[1] === import.meta.filename) {
  const file = resolve(PACKAGE, 'package.json')
  const now = readFileSync(file, 'utf8')
  const next = withExports(
    now,
    sourceExports((door) => existsSync(resolve(PACKAGE, door))),
  )
  if (now === next) {
    console.log('exports: up to date')
  } else if (process.argv.includes('--check')) {
    console.log('error exports  packages/reflex/package.json  the export map is not that of the rooms\n  fix: npm run exports')
    process.exitCode = 1
  } else {
    writeFileSync(file, next)
    console.log('exports: written')
  }
}
