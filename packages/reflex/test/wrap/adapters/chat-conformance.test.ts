import { conformance } from '../conformance.ts'
import { langChainDriver, langGraphDriver } from './chat-driver.ts'

conformance(langChainDriver)
conformance(langGraphDriver)
