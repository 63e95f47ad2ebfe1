import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Config } from '../../app/config.ts'
import { CONFIG } from '../../app/config-file.ts'
import { nearestStore } from '../../app/home.ts'
import type { ContinueFlags } from '../options.ts'
import type { World } from '../world.ts'

/** A setting as the next command here will see it. */
export interface Setting {
  readonly name: string
  /** The value; undefined if nothing is set and there is no default. */
  readonly value: string | undefined
  /** The origin: a flag, an environment variable, a file, or the default. */
  readonly from: string
}

/** A possible origin of a value. Lists of sources begin with the strongest (experience 6). */
type Source = readonly [from: string, value: string | undefined]

/**
 * Returns every setting of Reflex with its origin. Secrets are not settings: for a key, the result only says that it is
 * present.
 */
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
    setting('retention', [variable('REFLEX_KEEP')], 'ended runs are kept'),
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

/**
 * Removes secrets: an address may contain a password before its host and a key behind its path, so only the part
 * between them is shown.
 */
function bareAddress([from, value]: Source): Source {
  const [scheme] = SCHEME.exec(value ?? '') ?? []
  if (value === undefined || scheme === undefined) return [from, value]
  const { host, pathname, search, hash } = URL.parse(value) ?? {}
  // An unescaped password may contain a character that ends the host; then the parts cannot be told apart.
  if (host === undefined || pathname === undefined || `${pathname}${search}${hash}`.includes('@')) return [from, `${scheme}…`]
  return [from, `${scheme}${host}${pathname === '/' ? '' : pathname}`]
}

/** Removes secrets from an address whose scheme may be missing. */
function withoutSecrets([from, value]: Source): Source {
  if (value === undefined || SCHEME.test(value)) return bareAddress([from, value])
  return [from, value.replace(/^[^]*@/, '').replace(/[?#][^]*$/, '')]
}

/** Returns a path relative to this folder. */
function nearTo(cwd: string, path: string): string {
  const nearPath = relative(cwd, resolve(cwd, path))
  return nearPath.startsWith('..') || isAbsolute(nearPath) ? path : nearPath === '' ? '.' : nearPath
}
