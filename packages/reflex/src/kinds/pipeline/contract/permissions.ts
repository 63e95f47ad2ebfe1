import type { Permissions as RunPermissions, Frame } from '../../../kernel/index.ts'
import type { Permissions } from './handler.ts'

/** The permissions of a frame that has not begun. */
const NONE: Permissions = { trust: '', denied: {}, terms: {}, workdir: '', folder: '', run: '', origin: '', limits: {} }

const known = new WeakMap<RunPermissions, Permissions>()

/** Returns the permissions of a frame as its nodes read them. */
export function permissionsOf({ permissions }: Pick<Frame, 'permissions'>): Permissions {
  if (permissions === undefined) return NONE
  const found = known.get(permissions) ?? read(permissions)
  known.set(permissions, found)
  return found
}

/** The settings of the run, the facts that the host states, and what the policy says, side by side. */
function read({ trust, denied, terms, settings, facts }: RunPermissions): Permissions {
  const own = { ...facts, ...settings } as unknown as Permissions
  const routing = { ...(facts as Partial<Permissions>).routing, ...own.routing }
  return { ...NONE, ...own, trust, denied, terms, ...(Object.keys(routing).length === 0 ? {} : { routing }) }
}
