/** Programs of the system for tests that use them. Without a program its tests are skipped, and say why. */
import { existsSync } from 'node:fs'
import { install } from './apt.ts'

/** By the package that has it: Chromium shows the page of `reflex serve`, PgBouncer stands in front of Postgres. */
const PROGRAMS = { chromium: '/usr/bin/chromium', pgbouncer: '/usr/sbin/pgbouncer' }
/** Chromium is large: some minutes on a slow network. */
const TIMEOUT = 600_000

/** Installs what is missing, if this process may install it. */
export function providePrograms(): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return
  for (const [name, path] of Object.entries(PROGRAMS)) if (!existsSync(path)) install(name, TIMEOUT)
}
