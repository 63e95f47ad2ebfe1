/** Chromium for the tests of the page of `reflex serve`. Without it those tests are skipped, and say why. */
import { existsSync } from 'node:fs'
import { install } from './apt.ts'

const CHROMIUM = '/usr/bin/chromium'
/** It is large: some minutes on a slow network. */
const TIMEOUT = 600_000

/** Installs Chromium if it is missing and this process may install it. */
export function provideChromium(): void {
  if (process.platform === 'linux' && process.getuid?.() === 0 && !existsSync(CHROMIUM)) install('chromium', TIMEOUT)
}
