package com.google.zetasql;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Serves GoogleSQL's evaluator, a native library in a package of Maven, on a free port of this machine, which is printed.
 * It ends with its standard input. The library finds this class by its name.
 */
public final class JniChannelProvider {
  private static native SocketChannel getSocketChannel() throws IOException;

  public static void main(String[] arguments) throws IOException {
    System.setProperty("zetasql.local_service.class", "com/google/zetasql/JniChannelProvider");
    load("/zetasql/local_service/liblocal_service_jni.so");
    start(() -> {
      while (System.in.read() >= 0) {}
      System.exit(0);
    });
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
    while (true) {
      SocketChannel client = server.accept();
      SocketChannel library = getSocketChannel();
      library.configureBlocking(true);
      start(() -> copy(client, library));
      start(() -> copy(library, client));
    }
  }

  private static void load(String resource) throws IOException {
    Path file = Files.createTempFile("googlesql-", ".so");
    try (InputStream library = JniChannelProvider.class.getResourceAsStream(resource)) {
      Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
      System.load(file.toString());
    } finally {
      Files.delete(file);
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    while (from.read(buffer) >= 0) {
      buffer.flip();
      while (buffer.hasRemaining()) to.write(buffer);
      buffer.clear();
    }
    to.shutdownOutput();
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (IOException closed) {
        // A client that closes its connection ends its threads.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }
}
