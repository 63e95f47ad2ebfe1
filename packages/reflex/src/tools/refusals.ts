import type { Fault } from '../kernel/index.ts'
import { autorunCapability, fsCapability } from './capability.ts'
import { faults } from './faults.ts'
import { shownPath } from './paths.ts'
import { isSelfRunning } from './self-running-file.ts'
import type { ToolCall } from './tool.ts'

/**
 * Throws `R4105` for a real path that is not granted, and `R4143` for a write to a file that would run automatically on
 * the host.
 */
export function requireAccess(action: 'read' | 'write', real: string, call: ToolCall): void {
  const need = fsCapability(action, real)
  if (call.allows(need)) {
    if (action === 'write') refuseSelfRunning(real, call)
    return
  }
  throw faults.make('R4105', `${real} may not be ${action === 'read' ? 'read' : 'written'} here`, {
    fix: `keep to the work folder ${call.workdir}, or allow ${need} in --policy FILE`,
    data: { needs: [need] },
  })
}

/**
 * Throws `R4143` for a file that would run automatically. `path` may be the requested path: a link can give a file its
 * name.
 */
export function refuseSelfRunning(path: string, call: ToolCall): void {
  const need = autorunCapability(path)
  if (!isSelfRunning(path, call) || call.allows(need)) return
  throw faults.make('R4143', `${shownPath(path, call)} would run automatically outside the sandbox`, {
    fix: `write it yourself, or allow ${need} in --policy FILE`,
    data: { needs: [need] },
  })
}

/** Returns the fault for a system error about a path. */
export function systemFault(thrown: unknown, kind: 'file' | 'folder', path: string, call: ToolCall): Fault {
  const shown = shownPath(path, call)
  const code = systemCode(thrown) ?? ''
  if (code === 'ENOENT' || (code === 'ENOTDIR' && kind === 'file'))
    return faults.make('R4106', `there is no ${kind} ${shown}`, { fix: `paths start at ${call.workdir}` })
  if (['ENOTDIR', 'EISDIR', 'ENXIO', 'ELOOP'].includes(code)) return wrongKindFault(kind, path, call)
  return faults.make('R4112', `${shown} cannot be used${code === '' ? '' : `: ${code}`}`, { cause: thrown })
}

/** Returns the fault `R4107` for a path that is not a file or not a folder. */
export function wrongKindFault(kind: 'file' | 'folder', path: string, call: ToolCall): Fault {
  return faults.make('R4107', `${shownPath(path, call)} is not a ${kind}`)
}

/** The code of a system error, such as `ENOENT`; undefined for any other error. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown ? String(thrown.code) : undefined
}
