import { uri } from './capability-uris.ts'

/** Returns the name of an action with `_` instead of `.`: `file.write` becomes `file_write` (reference pipeline 4.5). */
export function plainAction(name: string): string {
  return name.trim().replaceAll('.', '_')
}

/** Returns the capability of an action. */
export function actionCapability(name: string): string {
  return uri('action', plainAction(name))
}
