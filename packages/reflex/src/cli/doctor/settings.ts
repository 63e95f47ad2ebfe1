import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Config } from '../../app/config.ts'
import { CONFIG } from '../../app/config-file.ts'
import { nearestStore } from '../../app/home.ts'
import type { ContinueFlags } from '../options.ts'
import type { World } from '../world.ts'

/** A setting as it counts for the next command here. */
export interface Setting {
  readonly name: string
  /** What it is; undefined where nothing is set and nothing stands in. */
  readonly value: string | undefined
  /** What set it: a flag, a variable of the environment, a file, or nothing but the default. */
  readonly from: string
}

/** What can set something, the strongest first (experience 6). */
type Source = readonly [from: string, value: string | undefined]

/** Every setting of Reflex, with what has set it. Secrets are no settings: of a key it is told that it is there. */
export function settingsOf({ surroundings, out }: World, flags: ContinueFlags, config: Config | undefined): Setting[] {
  const { cwd, environment, actor } = surroundings
  const variable = (name: string): Source => [name, environment[name] === '' ? undefined : environment[name]]
  const store = nearestStore(cwd)
  const near = (path: string): string => nearTo(cwd, path)
  const stores: readonly Source[] = [['--store', flags.store], variable('REFLEX_STORE'), ['nearest upwards', store && near(store)]]
  return [
    setting('settings', [['nearest upwards', config?.file && near(config.file)]], undefined),
    setting('store', stores.map(bareAddress), near(join(cwd, '.reflex', 'reflex.db'))),
    setting('model', [variable('REFLEX_MODEL'), [CONFIG, config?.model]], undefined),
    setting('base URL', [variable('REFLEX_BASE_URL')].map(withoutSecrets), undefined),
    setting('agent', [[CONFIG, config?.agent]], 'rules'),
    setting('trust', [variable('REFLEX_TRUST'), [CONFIG, config?.trust]], 'probationary'),
    setting('policy', [['--policy', flags.policy?.join(', ')], variable('REFLEX_POLICY')], undefined),
    setting(
      'programs',
      [
        ['--programs', flags.programs?.join(', ')],
        [CONFIG, config?.programs.map(near).join(', ') || undefined],
      ],
      undefined,
    ),
    setting('retention', [variable('REFLEX_KEEP')], 'ended runs stay'),
    setting('actor', [['--by', flags.by], variable('REFLEX_ACTOR')], actor),
    setting(
      'colours',
      [variable('NO_COLOR'), variable('FORCE_COLOR')].map(([name, value]): Source => [name, value && name]),
      out.terminal ? 'of the terminal' : 'none',
    ),
    setting('columns', [variable('COLUMNS')], out.columns === undefined ? undefined : String(out.columns)),
  ]
}

function setting(name: string, sources: readonly Source[], fallback: string | undefined): Setting {
  const found = sources.find(([, value]) => value !== undefined)
  return { name, value: found?.[1] ?? fallback, from: found?.[0] ?? 'default' }
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** An address may hold a password before its host and a key behind its path: only what is between is shown. */
function bareAddress([from, value]: Source): Source {
  const [scheme] = SCHEME.exec(value ?? '') ?? []
  if (value === undefined || scheme === undefined) return [from, value]
  const { host, pathname, search, hash } = URL.parse(value) ?? {}
  // A password that is not escaped may hold a sign that ends the host: then nobody can tell what is what.
  if (host === undefined || pathname === undefined || `${pathname}${search}${hash}`.includes('@')) return [from, `${scheme}…`]
  return [from, `${scheme}${host}${pathname === '/' ? '' : pathname}`]
}

/** The same of an address that may lack its beginning. */
function withoutSecrets([from, value]: Source): Source {
  if (value === undefined || SCHEME.test(value)) return bareAddress([from, value])
  return [from, value.replace(/^[^]*@/, '').replace(/[?#][^]*$/, '')]
}

/** A path as a person would name it from here. */
function nearTo(cwd: string, path: string): string {
  const nearPath = relative(cwd, resolve(cwd, path))
  return nearPath.startsWith('..') || isAbsolute(nearPath) ? path : nearPath === '' ? '.' : nearPath
}
