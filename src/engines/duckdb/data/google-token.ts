import { StartError } from '../../../errors.ts';

/** @returns the token with which a bucket of Google is read now; it is kept until shortly before it expires */
export type GoogleToken = () => Promise<string>;

/**
 * Finds the credentials that Google's libraries find: a file that is named, that of `gcloud`, the machine's account.
 *
 * @returns undefined if it finds nothing
 * @throws StartError if those that are there give no token
 */
export async function findGoogleToken(): Promise<GoogleToken | undefined> {
  // Loaded for buckets of Google only: it would make each start of an engine longer.
  const { GoogleAuth } = await import('google-auth-library');
  const auth = new GoogleAuth({ scopes: ['https://www.googleapis.com/auth/devstorage.read_only'] });
  const token = async () => (await auth.getAccessToken()) ?? '';
  try {
    await token();
    return token;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason.startsWith('Could not load the default credentials')) return undefined;
    throw new StartError('The data cannot be read', [
      {
        message: `dataDir: Google's credentials give no token: ${reason}; check GOOGLE_APPLICATION_CREDENTIALS, or the account of the machine`,
      },
    ]);
  }
}
